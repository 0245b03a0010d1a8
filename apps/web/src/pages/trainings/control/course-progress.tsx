import { courses } from '@flotilla/contract/courses/courses'
import type { CourseProgress as Progress } from '@flotilla/contract/courses/entity'
import type { Training } from '@flotilla/contract/trainings/entity'
import { BookOpen } from 'lucide-react'
import { useMemo } from 'react'
import { useApiQuery } from '../../../api/query'
import { tableSettings } from '../../../session/page-settings'
import { DataTable } from '../../../table/data-table'
import { Async } from '../../../ui/feedback/async'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { SkeletonRows } from '../../../ui/feedback/skeleton'
import { Answers } from './answers'
import { progressColumns, progressRows, type ProgressRow } from './progress-columns'

const settings = tableSettings('training.progress')
const idOf = ({ registrationId }: ProgressRow) => registrationId

/** All participants' progress in the course, and their answers. */
export function CourseProgress({ training, courseId }: { training: Training; courseId: string }) {
  const progress = useApiQuery(courses.progress, { id: courseId, query: { trainingId: training.id } })
  return (
    <Async
      data={progress}
      skeleton={<SkeletonRows rows={4} columns={5} />}
      empty={
        <div className="rounded-card border border-line-1 bg-surface-2">
          <EmptyState icon={BookOpen} title="No one has opened the course yet">
            Chapters and answers of participants appear here as they read.
          </EmptyState>
        </div>
      }
    >
      {(people) => <Shown people={people} courseId={courseId} />}
    </Async>
  )
}

function Shown({ people, courseId }: { people: readonly Progress[]; courseId: string }) {
  // Chapter titles are omitted if the course is not shared with the user who runs the workshop.
  const outline = useApiQuery(courses.outline, { id: courseId })
  const chapters = outline.data?.chapters
  const rows = useMemo(() => progressRows(people, chapters ?? []), [people, chapters])
  return (
    <div className="flex flex-col gap-4">
      <DataTable
        label="Progress in the course"
        columns={progressColumns}
        rows={rows}
        rowId={idOf}
        settings={settings}
      />
      <Answers people={people} />
    </div>
  )
}
