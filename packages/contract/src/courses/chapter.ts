import { readQuiz, type Quiz } from './quiz'

/** A piece of a chapter: Markdown, or a quiz. */
export type ChapterPart = { kind: 'text'; text: string } | { kind: 'quiz'; quiz: Quiz }
export type ChapterProblem = { line: number; message: string }

const MISPLACED_MESSAGE = 'A quiz cannot be inside a list, a quote or another code block'

// A line may be a megabyte long. Adjacent parts of these patterns never match the same characters, so that each match
// takes a single pass.
/**
 * A code fence at the start of a line, as CommonMark defines it: the info string after backticks contains no backtick.
 */
const FENCE = /^ {0,3}(?:(?<ticks>`{3,})(?<tickInfo>[^`]*)|(?<tildes>~{3,})(?<tildeInfo>[^]*))$/
const QUIZ_INFO = /^[ \t]*quiz(\s|$)/i
/** A quiz in a list, a quote or another code block; only fences that `FENCE` matches become quizzes. */
const MISPLACED = /(?:```|~~~)[ \t]*quiz\b/i

/**
 * Splits a chapter into texts and quizzes. A chapter with problems is not saved: a quiz that is not recognized would
 * show its correct answers to everyone.
 */
export function splitChapter(markdown: string): { parts: ChapterPart[]; problems: ChapterProblem[] } {
  const parts: ChapterPart[] = []
  const problems: ChapterProblem[] = []
  const questions = new Set<string>()
  let text: string[] = []
  let fence: { mark: string; quiz: { line: number; lines: string[] } | null } | null = null
  const endText = () => {
    if (text.some((line) => line.trim() !== '')) parts.push({ kind: 'text', text: text.join('\n') })
    text = []
  }
  const endQuiz = ({ line, lines }: { line: number; lines: string[] }) => {
    const quiz = readQuiz(lines)
    if ('problem' in quiz) problems.push({ line, message: quiz.problem })
    else if (questions.has(quiz.question))
      problems.push({ line, message: 'This chapter asks the same question twice' })
    else {
      questions.add(quiz.question)
      parts.push({ kind: 'quiz', quiz })
    }
  }
  for (const [at, line] of markdown.split(/\r\n|\r|\n/).entries()) {
    if (fence) {
      const isEnd = isClosing(line, fence.mark)
      if (fence.quiz && isEnd) endQuiz(fence.quiz)
      else if (fence.quiz) fence.quiz.lines.push(line)
      else text.push(line)
      if (MISPLACED.test(line)) problems.push({ line: at + 1, message: MISPLACED_MESSAGE })
      if (isEnd) fence = null
      continue
    }
    const { ticks, tickInfo, tildes, tildeInfo } = FENCE.exec(line)?.groups ?? {}
    const mark = ticks ?? tildes
    const isQuiz = mark !== undefined && QUIZ_INFO.test(tickInfo ?? tildeInfo ?? '')
    if (mark) fence = { mark, quiz: isQuiz ? { line: at + 1, lines: [] } : null }
    if (isQuiz) endText()
    else {
      text.push(line)
      if (MISPLACED.test(line)) problems.push({ line: at + 1, message: MISPLACED_MESSAGE })
    }
  }
  if (fence?.quiz) problems.push({ line: fence.quiz.line, message: 'The quiz has no closing fence' })
  endText()
  return { parts, problems }
}

const isClosing = (line: string, mark: string): boolean => {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
  return closing !== undefined && closing.startsWith(mark)
}

export const describeProblem = ({ line, message }: ChapterProblem): string => `Line ${line}: ${message}`
