/**
 * How many bytes of a body are read: more proves nothing more, a hostile one has no end, and sixteen at once are held
 * in several forms each.
 */
export const bodyLimit = 400_000;
