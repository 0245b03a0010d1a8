/**
 * Characters that are invisible, look like another one, or reverse the text around them: they could make one name pass
 * for another.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu

/** The zero-width joiner combines emoji into one; between letters it is invisible. */
const JOINER = '\u200d'
const EMOJI = /\p{Extended_Pictographic}(?:[\u{1f3fb}-\u{1f3ff}]|\ufe0f)?$/u

const PICTURES = 0x2400
const DELETE = 0x7f

/** A name with every invisible character made visible: a line break as ␊, others as their code points. */
export const visibleName = (name: string): string =>
  name.replace(UNSEEN, (letter, at: number) => {
    const code = letter.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCodePoint(PICTURES + code)
    if (code === DELETE) return '␡'
    if (letter === JOINER && EMOJI.test(name.slice(0, at))) return letter
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
