import { describe, expect, it } from 'vitest'
import { splitChapter } from './chapter'
import { isRight, readQuiz } from './quiz'

const lines = (...all: string[]) => all.join('\n')
const problemsOf = (...all: string[]) => splitChapter(lines(...all)).problems

const quiz = [
  '```quiz',
  'Which command submits a script?',
  '- [ ] scancel',
  '- [x] sbatch',
  '> It queues.',
  '```',
]

describe('a chapter', () => {
  it('is split into texts and quizzes', () => {
    const { parts, problems } = splitChapter(lines('# One', '', ...quiz, '', 'After'))
    expect(problems).toEqual([])
    expect(parts.map(({ kind }) => kind)).toEqual(['text', 'quiz', 'text'])
    expect(parts[1]).toEqual({
      kind: 'quiz',
      quiz: {
        kind: 'one',
        question: 'Which command submits a script?',
        choices: ['scancel', 'sbatch'],
        right: ['sbatch'],
        explanation: 'It queues.',
      },
    })
  })

  it('keeps other code blocks as text, even around lines that look like a fence', () => {
    const text = lines('```bash', 'echo 1', '```', '~~~', '```', '~~~', '```not a fence``` here')
    expect(splitChapter(text)).toEqual({ parts: [{ kind: 'text', text }], problems: [] })
  })

  // A quiz that is not recognized would be shown with its answers.
  it.each([
    ['in a quote', ['> ```quiz', '> Q', '> - [x] a', '> - [ ] b', '> ```']],
    ['in a list', ['- ```quiz', '  Q', '  - [x] a', '  ```']],
    ['indented', ['    ```quiz', '    Q', '    - [x] a', '    ```']],
    ['in another block', ['````', ...quiz, '````']],
    [
      'after a block in a list whose closing fence looks like an opening one',
      ['- ```bash', '  ls', '  ```', '', ...quiz],
    ],
    ['without an end', ['```quiz', 'Q', '- [x] a', '- [ ] b']],
  ])('rejects a quiz %s', (_where, text) => {
    expect(problemsOf(...text)).not.toEqual([])
  })

  it('rejects a repeated question and reports its line', () => {
    expect(problemsOf('Text', ...quiz, ...quiz)).toEqual([
      { line: 8, message: 'This chapter asks the same question twice' },
    ])
  })
})

// A pattern that backtracks would take hours on one of these lines.
describe('a line of one megabyte', () => {
  const many = (text: string) => text.repeat(1_000_000 / text.length)
  const blank = many(' ')
  const misplaced = [{ line: 1, message: 'A quiz cannot be inside a list, a quote or another code block' }]

  it.each([
    ['blanks', blank],
    ['tabs', many('\t')],
    ['a fence that a backtick spoils', `\`\`\`${blank}\``],
    ['backticks', `a ${many('`')}`],
    ['a line separator after tildes', `${many('~')}${many('x')}\u2028`],
  ])('of %s is text', (_what, line) => {
    expect(splitChapter(line).problems).toEqual([])
  })

  it('can separate a fence from its info string', () => {
    expect(splitChapter(lines(`\`\`\`${blank}quiz${blank}`, ...quiz.slice(1))).parts).toMatchObject([
      { kind: 'quiz', quiz: { choices: ['scancel', 'sbatch'] } },
    ])
    expect(problemsOf(`- ${many('`')}${blank}quiz`)).toEqual(misplaced)
    expect(problemsOf(`\`\`\`text`, `\`\`\`${blank}x`, `\`\`\`${blank}`, ...quiz)).toEqual([])
  })

  it('is parsed in a quiz like a short one', () => {
    const long = (text: string) => `${blank}${text}`.replace('_', blank) + blank
    expect(readQuiz([long(''), long('Q'), long('-_[x] a'), long('- [ ]_b'), long('> because')])).toEqual({
      kind: 'one',
      question: 'Q',
      choices: ['a', 'b'],
      right: ['a'],
      explanation: 'because',
    })
    expect(readQuiz(['Q', long('=_4')])).toMatchObject({ kind: 'text', right: ['4'] })
    expect(readQuiz([`- [ ] ${blank}\u2028`, `=${blank}\u2028`])).toHaveProperty('problem')
  })
})

describe('a quiz', () => {
  it.each([
    ['no question', ['- [x] a', '- [ ] b']],
    ['one choice', ['Q', '- [x] a']],
    ['no right choice', ['Q', '- [ ] a', '- [ ] b']],
    ['choices and texts', ['Q', '- [x] a', '- [ ] b', '= a']],
    ['the same choice twice', ['Q', '- [x] a', '- [ ] a']],
  ])('is rejected with %s', (_what, given) => {
    expect(readQuiz(given)).toHaveProperty('problem')
  })

  it('is graded according to its kind', () => {
    const read = (...given: string[]) =>
      readQuiz(given) as Exclude<ReturnType<typeof readQuiz>, { problem: string }>
    const many = read('Q', '- [x] a', '- [x] b', '- [ ] c')
    expect([many.kind, isRight(many, ['b', 'a']), isRight(many, ['a']), isRight(many, ['a', 'c'])]).toEqual([
      'many',
      true,
      false,
      false,
    ])
    const typed = read('Q', '= 4', '= Four  nodes')
    expect([typed.kind, isRight(typed, [' four Nodes ']), isRight(typed, ['5'])]).toEqual([
      'text',
      true,
      false,
    ])
    const open = read('What do you expect?')
    expect([open.kind, isRight(open, ['Much'])]).toEqual(['open', null])
  })
})
