/** Letters that are drawn as nothing, as another letter, or that turn the text around them: they could pose as another name. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu

/** Joins emoji to one; between letters it would hide. */
const JOINER = '\u200d'
const EMOJI = /\p{Extended_Pictographic}(?:[\u{1f3fb}-\u{1f3ff}]|\ufe0f)?$/u

const PICTURES = 0x2400
const DELETE = 0x7f

/** A name with every control character drawn: a line break as ␊, others as their number. */
export const visibleName = (name: string): string =>
  name.replace(UNSEEN, (letter, at: number) => {
    const code = letter.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCodePoint(PICTURES + code)
    if (code === DELETE) return '␡'
    if (letter === JOINER && EMOJI.test(name.slice(0, at))) return letter
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
