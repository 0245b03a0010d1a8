import type { ReaderPart } from '@flotilla/contract/courses/entity'
import { useMemo } from 'react'
import { Markdown } from './markdown'
import { parseMarkdown, topHeadingOf } from './parse-markdown'
import './prose.css'
import { QuizCard, type Answer } from './quiz-card'

interface Props {
  parts: readonly ReaderPart[]
  onAnswer: Answer
}

/** The text of a chapter with its quizzes. Loaded when a chapter is first shown, with the Markdown parser. */
export default function ChapterParts({ parts, onAnswer }: Props) {
  const parsed = useMemo(
    () =>
      parts.map((part) =>
        part.kind === 'quiz' ? part : { kind: part.kind, root: parseMarkdown(part.text) },
      ),
    [parts],
  )
  const topHeading = topHeadingOf(parsed.flatMap((part) => (part.kind === 'text' ? part.root : [])))
  return (
    <div className="flex flex-col gap-4">
      {parsed.map((part, at) =>
        part.kind === 'quiz' ? (
          <QuizCard key={part.quiz.id} quiz={part.quiz} onAnswer={onAnswer} />
        ) : (
          <div key={at} className="prose">
            <Markdown root={part.root} topHeading={topHeading} />
          </div>
        ),
      )}
    </div>
  )
}
