/**
 * `one` has a single correct choice, `many` several, `text` is typed, and `open` has no correct answer: the instructor
 * reads it.
 */
export const quizKinds = ['one', 'many', 'text', 'open'] as const
type QuizKind = (typeof quizKinds)[number]

/** A question in a chapter, as its author wrote it. */
export type Quiz = {
  kind: QuizKind
  question: string
  choices: string[]
  /** The correct choices, or all texts that are accepted. */
  right: string[]
  explanation: string
}

export const QUIZ_CHOICES_MAX = 20
export const QUIZ_ANSWER_MAX = 2000
const QUIZ_TEXT_MAX = 4000

/**
 * Parses the lines of a ```quiz block: the question, then `- [ ]` and `- [x]` choices or `=` answers, and `>` for the
 * explanation.
 */
export function readQuiz(lines: readonly string[]): Quiz | { problem: string } {
  const question: string[] = []
  const choices: string[] = []
  const marked: string[] = []
  const accepted: string[] = []
  const explanation: string[] = []
  for (const line of lines) {
    // The line is trimmed first, because a pattern that skips trailing spaces would be slow on a long run of them.
    const trimmed = line.trim()
    const [, mark, choice] = /^[-*+]\s+\[([ xX])\]\s+(\S[^]*)$/.exec(trimmed) ?? []
    const answer = trimmed.startsWith('=') ? trimmed.slice(1).trim() : ''
    const reason = /^>\s?([^]*)$/.exec(line.trimStart())?.[1]
    if (choice !== undefined) {
      choices.push(choice)
      if (mark !== ' ') marked.push(choice)
    } else if (answer !== '') accepted.push(answer)
    else if (reason !== undefined) explanation.push(reason)
    else question.push(line)
  }
  const quiz = {
    kind: kindOf(choices, marked, accepted),
    question: question.join('\n').trim(),
    choices,
    right: choices.length > 0 ? marked : accepted,
    explanation: explanation.join('\n').trim(),
  }
  const problem = problemOf(quiz, accepted)
  return problem === null ? quiz : { problem }
}

const kindOf = (choices: string[], marked: string[], accepted: string[]): QuizKind => {
  if (choices.length > 0) return marked.length > 1 ? 'many' : 'one'
  return accepted.length > 0 ? 'text' : 'open'
}

function problemOf({ question, choices, right, explanation }: Quiz, accepted: string[]): string | null {
  if (question === '') return 'The quiz has no question'
  if (question.length > QUIZ_TEXT_MAX || explanation.length > QUIZ_TEXT_MAX)
    return `A question or an explanation can have at most ${QUIZ_TEXT_MAX} characters`
  if (choices.length > 0 && accepted.length > 0) return 'A quiz has either choices or = answers, not both'
  if (choices.length === 1) return 'A quiz needs at least two choices'
  if (choices.length > QUIZ_CHOICES_MAX || accepted.length > QUIZ_CHOICES_MAX)
    return `A quiz can have at most ${QUIZ_CHOICES_MAX} choices or answers`
  if ([...choices, ...accepted].some(({ length }) => length > QUIZ_ANSWER_MAX))
    return `A choice can have at most ${QUIZ_ANSWER_MAX} characters`
  if (choices.length > 0 && right.length === 0) return 'Mark the correct choice with [x]'
  if (new Set(choices).size < choices.length) return 'Two choices are the same'
  return null
}

const normalized = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

/** Whether an answer is correct; null for an open question. */
export function isRight(
  { kind, right }: Pick<Quiz, 'kind' | 'right'>,
  answer: readonly string[],
): boolean | null {
  if (kind === 'open') return null
  if (kind === 'text') return right.some((text) => normalized(text) === normalized(answer[0] ?? ''))
  return answer.length === right.length && right.every((choice) => answer.includes(choice))
}
