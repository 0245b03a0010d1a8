import { courses } from '@flotilla/contract/courses/courses'
import type { CourseSummary } from '@flotilla/contract/courses/entity'
import { GraduationCap, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { useApiList } from '../../api/list'
import { paths, useGo } from '../../paths'
import { tableSettings } from '../../session/page-settings'
import { ListPage } from '../../table/list-page'
import { Button } from '../../ui/button/button'
import { EmptyState } from '../../ui/feedback/empty-state'
import { Stale } from '../../ui/feedback/stale'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { courseColumns } from './course-columns'
import { ImportButton } from './import-button'
import { NewCourseDialog } from './new-course-dialog'
import { useCourseActions } from './use-course-actions'

const versionOf = ({ updatedAt }: CourseSummary) => updatedAt
const settings = tableSettings('courses')

export default function CoursesPage() {
  const list = useApiList(courses.list, {})
  const go = useGo()
  const [creating, setCreating] = useState(false)
  const { actionsOf, dialogs } = useCourseActions()
  const menu = (course: CourseSummary): MenuEntry[] => {
    const { download, share, remove } = actionsOf(course)
    const open = {
      label: course.mine ? 'Edit' : 'Open',
      icon: Pencil,
      onSelect: () => go(paths.course(course.id)),
    }
    return [open, download, share, 'separator', remove]
  }
  const buttons = (
    <div className="flex flex-wrap justify-center gap-2">
      <ImportButton />
      <Button variant="primary" icon={Plus} onClick={() => setCreating(true)}>
        New course
      </Button>
    </div>
  )
  return (
    <ListPage
      title="Courses"
      description="Chapters, exercises and quizzes for your workshops."
      meta={list.data && <Stale since={list.dataUpdatedAt} failed={list.isError} staleAfterMs={Infinity} />}
      actions={list.data && list.data.length > 0 && buttons}
      list={list}
      empty={
        <EmptyState icon={GraduationCap} title="No courses yet" action={buttons}>
          Write workshop material once, and use it in as many workshops as you like.
        </EmptyState>
      }
      label="Courses"
      columns={courseColumns}
      rowVersion={versionOf}
      rowActions={menu}
      settings={settings}
    >
      {creating && <NewCourseDialog onClose={() => setCreating(false)} />}
      {dialogs}
    </ListPage>
  )
}
