/** How many bytes of a body are read: more proves nothing more, and a hostile one has no end. */
export const bodyLimit = 1_000_000;
