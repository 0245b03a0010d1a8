import type { CourseProgress } from '@flotilla/contract/courses/entity'
import { Card } from '../../../ui/layout/card'
import { Status } from '../../../ui/status/status'

type Answered = CourseProgress['answers'][number] & { registrationId: string; name: string }

/** All participants' answers, by question. */
export function Answers({ people }: { people: readonly CourseProgress[] }) {
  const questions = new Map<string, Answered[]>()
  for (const { registrationId, name, answers } of people)
    for (const answer of answers) {
      const key = `${answer.chapterId} ${answer.question}`
      questions.set(key, [...(questions.get(key) ?? []), { ...answer, registrationId, name }])
    }
  if (questions.size === 0) return null
  return (
    <Card title="Answers" flush>
      {[...questions].map(([key, answers]) => (
        <details key={key} className="border-t border-line-1 px-4 py-2 text-body">
          <summary className="cursor-pointer rounded-control py-1">
            <span className="font-medium">{answers[0]?.question}</span>{' '}
            <span className="text-ink-3">{summaryOf(answers)}</span>
          </summary>
          <ul className="flex flex-col gap-1 py-2">
            {answers.map(({ registrationId, name, answer, correct }) => (
              <li key={registrationId} className="flex flex-wrap gap-x-3">
                <span className="min-w-40 text-ink-2">{name}</span>
                <span className="min-w-0 flex-1 wrap-anywhere whitespace-pre-line">{answer.join(', ')}</span>
                {correct !== null && (
                  <Status tone={correct ? 'green' : 'amber'}>{correct ? 'Correct' : 'Incorrect'}</Status>
                )}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </Card>
  )
}

function summaryOf(answers: readonly Answered[]): string {
  const right = answers.filter(({ correct }) => correct === true).length
  return answers.some(({ correct }) => correct !== null)
    ? `${right} of ${answers.length} correct`
    : `${answers.length} answered`
}
