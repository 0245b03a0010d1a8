import { courses } from '@flotilla/contract/courses/courses'
import { CHAPTERS_MAX, type Course } from '@flotilla/contract/courses/entity'
import { BookOpen, Plus } from 'lucide-react'
import { useApiMutation } from '../../../api/query'
import { useSearchParam, useSetSearch } from '../../../paths'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { ChapterEditor } from './chapter-editor'
import { ChapterList } from './chapter-list'

/** The list of chapters, and the editor and preview of the chosen one. */
export function ChaptersTab({ course }: { course: Course }) {
  const { id, chapters, mine } = course
  const admin = useIsAdmin()
  const setSearch = useSetSearch()
  const wanted = useSearchParam('chapter')
  const chapter = chapters.find((one) => one.id === wanted) ?? chapters[0]
  const open = (chapterId: string | undefined) => setSearch({ chapter: chapterId })
  const add = useApiMutation(courses.addChapter, {
    admin,
    invalidates: [courses.view],
    onSuccess: (added) => open(added.id),
  })
  const addButton = mine && (
    <Button
      icon={Plus}
      variant={chapters.length === 0 ? 'primary' : 'secondary'}
      busy={add.isPending}
      disabledReason={
        chapters.length >= CHAPTERS_MAX ? `A course can have at most ${CHAPTERS_MAX} chapters` : null
      }
      onClick={() => add.mutate({ id, body: { title: `Chapter ${chapters.length + 1}` } })}
    >
      Add chapter
    </Button>
  )
  if (!chapter)
    return (
      <div className="rounded-card border border-line-1 bg-surface-2">
        <EmptyState icon={BookOpen} title="No chapters yet" action={addButton || undefined}>
          A chapter is Markdown text with pictures, commands to run and quizzes.
        </EmptyState>
      </div>
    )
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[15rem_minmax(0,1fr)]">
      <div className="flex flex-col gap-2 print:hidden">
        <ChapterList course={course} chosen={chapter.id} onOpen={open} />
        {addButton}
      </div>
      <ChapterEditor key={chapter.id} course={course} chapter={chapter} />
    </div>
  )
}
