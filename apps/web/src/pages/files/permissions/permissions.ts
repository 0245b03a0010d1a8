export const classes = ['owner', 'group', 'others'] as const
export const rights = ['read', 'write', 'execute'] as const

/** The bit of a right, such as 0o040 for the group's right to read. */
export const bitOf = (of: (typeof classes)[number], right: (typeof rights)[number]): number =>
  (4 >> rights.indexOf(right)) << (3 * (2 - classes.indexOf(of)))

/** The permission bits of a mode string as printed by `ls`, such as rwxr-s--T. */
export function bitsOf(text: string): number {
  const plain = text.split('').reduce((bits, letter) => bits * 2 + (/[rwxst]/.test(letter) ? 1 : 0), 0)
  const special = [2, 5, 8].reduce((bits, at) => bits * 2 + (/[st]/i.test(text[at] ?? '') ? 1 : 0), 0)
  return plain + special * 0o1000
}

/** '644', or '2755' if a special bit is set. */
export const octalOf = (bits: number): string => bits.toString(8).padStart(3, '0')

/** The permission bits of octal text, or null if it is invalid. */
export const bitsOfOctal = (text: string): number | null =>
  /^[0-7]{3,4}$/.test(text) ? Number.parseInt(text, 8) : null
