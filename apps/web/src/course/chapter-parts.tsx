import type { ReaderPart } from '@flotilla/contract/courses/entity'
import Markdown from './markdown'
import './prose.css'
import { QuizCard, type Answer } from './quiz-card'

/** The text of a chapter with its quizzes. Loaded when a chapter is first shown, with the Markdown parser. */
export default function ChapterParts({
  parts,
  onAnswer,
}: {
  parts: readonly ReaderPart[]
  onAnswer: Answer
}) {
  return (
    <div className="flex flex-col gap-4">
      {parts.map((part, at) =>
        part.kind === 'quiz' ? (
          <QuizCard key={part.quiz.id} quiz={part.quiz} onAnswer={onAnswer} />
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- the texts of a chapter have no other identity
          <div key={at} className="prose">
            <Markdown text={part.text} />
          </div>
        ),
      )}
    </div>
  )
}
