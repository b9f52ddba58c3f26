import { describe, expect, it } from 'vitest';
import { NameList } from '../../../targets/store/name-list.js';
import { NotShown } from '../../../targets/world.js';

function all(list: NameList, intern: string): readonly string[] {
  const names: string[] = [];
  try {
    for (;;) names.push(list.next(intern));
  } catch (error) {
    expect(error).toBeInstanceOf(NotShown);
    return names;
  }
}

describe('a list of names', () => {
  it('hands each out once, in order, for its intern', () => {
    const list = new NameList({ own: ['one', 'two'], sibling: ['three'] });
    expect([all(list, 'own'), all(list, 'sibling'), all(list, 'own')]).toEqual([
      ['one', 'two'],
      ['three'],
      [],
    ]);
  });

  it('says what is missing once they are used up, and for an intern that it has none of', () => {
    const list = new NameList({ own: [] });
    for (const intern of ['own', 'sibling', 'workspace', 'foreign', 'constructor'])
      expect(() => list.next(intern)).toThrow(`for the intern "${intern}" (store.names) are used up`);
  });

  it('leaves the profile’s own list as it is', () => {
    const own = ['one', 'two'];
    all(new NameList({ own }), 'own');
    expect(own).toEqual(['one', 'two']);
  });

  it('takes a name of both interns for the first only: at the sibling it would prove nothing', () => {
    const names = { own: ['one', 'two'], sibling: ['two', 'three'] };
    expect(all(new NameList(names), 'own')).toEqual(['one', 'two']);
    expect(all(new NameList(names), 'sibling')).toEqual(['three']);
    expect(NameList.has(names, 'sibling')).toBe(true);
    expect(NameList.has({ own: ['one'], sibling: ['one'] }, 'sibling')).toBe(false);
  });

  it('knows which interns it has names of, used up or not', () => {
    const names = { own: ['one'] };
    all(new NameList(names), 'own');
    const has = (intern: string) => NameList.has(names, intern);
    expect(['own', 'sibling', 'workspace', 'foreign', 'length'].map(has)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
