import type { QuizResult, ReaderQuiz } from '@flotilla/contract/courses/entity'
import { QUIZ_ANSWER_MAX } from '@flotilla/contract/courses/quiz'
import { toApiError } from '@flotilla/client/api-error'
import { Check, CircleHelp, X } from 'lucide-react'
import { useId, useState } from 'react'
import type { ChangeEvent, FormEvent } from 'react'
import { Button } from '../ui/button/button'
import { Callout } from '../ui/feedback/callout'
import { Input, Textarea } from '../ui/form/input'
import { Glyph } from '../ui/status/icon'
import { cx } from '../ui/text/cx'
import { MarkdownText } from './markdown'

export type Answer = (quizId: string, answer: string[]) => Promise<QuizResult>

/** A question with its choices, and once answered, the result with its explanation. */
export function QuizCard({ quiz, onAnswer }: { quiz: ReaderQuiz; onAnswer: Answer }) {
  const id = useId()
  const [chosen, setChosen] = useState<string[]>(quiz.result?.answer ?? [])
  const [given, setGiven] = useState<QuizResult | null>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const result = quiz.result ?? given
  const Typed = quiz.kind === 'open' ? Textarea : Input
  const answer = chosen.map((text) => text.trim()).filter(Boolean)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (answer.length === 0)
      return setProblem(quiz.choices.length > 0 ? 'Choose an answer' : 'Enter an answer')
    setBusy(true)
    setProblem(null)
    try {
      setGiven(await onAnswer(quiz.id, answer))
    } catch (error) {
      setProblem(toApiError(error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      aria-labelledby={`${id}question`}
      noValidate
      onSubmit={(event) => void submit(event)}
      className="flex flex-col gap-3 rounded-card border border-line-2 bg-surface-1 p-4"
    >
      <div className="flex gap-2.5">
        <Glyph icon={CircleHelp} className="mt-0.5 text-accent" />
        <div id={`${id}question`} className="prose min-w-0 flex-1 font-medium">
          <MarkdownText text={quiz.question} />
        </div>
      </div>
      {quiz.choices.length > 0 ? (
        <Choices quiz={quiz} name={id} chosen={chosen} result={result} onChoose={setChosen} />
      ) : (
        <Typed
          aria-labelledby={`${id}question`}
          maxLength={QUIZ_ANSWER_MAX}
          readOnly={result !== null}
          value={result?.answer[0] ?? chosen[0] ?? ''}
          onChange={({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
            setChosen([target.value])
          }
        />
      )}
      {problem && (
        <Callout tone="red" alert>
          {problem}
        </Callout>
      )}
      {result ? (
        <Outcome quiz={quiz} result={result} />
      ) : (
        <div className="flex items-center gap-3">
          <Button type="submit" variant="primary" busy={busy}>
            Answer
          </Button>
          {quiz.kind === 'many' && (
            <span className="text-label text-ink-3">More than one answer is correct.</span>
          )}
        </div>
      )}
    </form>
  )
}

interface ChoicesProps {
  quiz: ReaderQuiz
  name: string
  chosen: string[]
  result: QuizResult | null
  onChoose: (chosen: string[]) => void
}

function Choices({ quiz, name, chosen, result, onChoose }: ChoicesProps) {
  const isMany = quiz.kind === 'many'
  const selected = result?.answer ?? chosen
  const toggle = (choice: string) =>
    onChoose(
      !isMany
        ? [choice]
        : chosen.includes(choice)
          ? chosen.filter((one) => one !== choice)
          : [...chosen, choice],
    )
  return (
    <div
      role={isMany ? 'group' : 'radiogroup'}
      aria-labelledby={`${name}question`}
      className="flex flex-col gap-1.5"
    >
      {quiz.choices.map((choice) => {
        const isRight = result?.right.includes(choice) ?? false
        const isWrong = result !== null && !isRight && selected.includes(choice)
        return (
          <label
            key={choice}
            className={cx(
              'flex items-start gap-2.5 rounded-control border px-3 py-2 text-form',
              isRight
                ? 'border-green/40 bg-green-soft'
                : isWrong
                  ? 'border-red/40 bg-red-soft'
                  : 'border-line-1 bg-surface-2',
            )}
          >
            <input
              type={isMany ? 'checkbox' : 'radio'}
              name={name}
              className="mt-1 accent-accent"
              checked={selected.includes(choice)}
              disabled={result !== null}
              onChange={() => toggle(choice)}
            />
            <span className="prose min-w-0 flex-1">
              <MarkdownText text={choice} />
            </span>
            {isRight && <Mark icon={Check} label="Correct answer" className="text-green" />}
            {isWrong && <Mark icon={X} label="Incorrect" className="text-red" />}
          </label>
        )
      })}
    </div>
  )
}

function Mark({ icon, label, className }: { icon: typeof Check; label: string; className: string }) {
  return (
    <span className={cx('mt-0.5', className)}>
      <Glyph icon={icon} />
      <span className="sr-only">{label}</span>
    </span>
  )
}

function Outcome({ quiz, result }: { quiz: ReaderQuiz; result: QuizResult }) {
  const { correct, right, explanation } = result
  return (
    <div role="status">
      <Callout
        tone={correct === null ? 'gray' : correct ? 'green' : 'amber'}
        title={correct === null ? 'Sent to your instructor' : correct ? 'Correct' : 'Incorrect'}
      >
        {correct === false && quiz.kind === 'text' && <p>Correct answer: {right.join(', ')}</p>}
        {explanation && (
          <div className="prose">
            <MarkdownText text={explanation} />
          </div>
        )}
      </Callout>
    </div>
  )
}
