import { countText } from '@flotilla/contract/count-text'
import { courses } from '@flotilla/contract/courses/courses'
import type { Course } from '@flotilla/contract/courses/entity'
import { Download } from 'lucide-react'
import { useApiQuery } from '../../api/query'
import { CourseReader } from '../../course/course-reader'
import { paths, useGo, usePathParam } from '../../paths'
import { Button } from '../../ui/button/button'
import { Async } from '../../ui/feedback/async'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { LinkTabs } from '../../ui/layout/link-tabs'
import { PageHeader } from '../../ui/layout/page-header'
import { Menu } from '../../ui/overlay/menu'
import { ChaptersTab } from './chapters/chapters-tab'
import { DetailsTab } from './details-tab'
import { FilesTab } from './files-tab'
import { RUN_IN_WORKSHOP } from './run-in-workshop'
import { useCourseActions } from './use-course-actions'

export default function CoursePage() {
  const course = useApiQuery(courses.view, { id: usePathParam('id') ?? '' })
  return (
    <>
      {!course.data && <PageHeader title="Course" />}
      <Async data={course} skeleton={<SkeletonText lines={8} />}>
        {(found) => <Found course={found} />}
      </Async>
    </>
  )
}

function Found({ course }: { course: Course }) {
  const { id, name, mine, owner, chapters, files } = course
  const go = useGo()
  const tab = usePathParam('tab')
  const { actionsOf, dialogs } = useCourseActions({ onDeleted: () => go(paths.courses()) })
  const { download, share, remove } = actionsOf(course)
  return (
    <>
      <PageHeader
        title={name}
        description={
          <>
            {course.description && <span className="block whitespace-pre-line">{course.description}</span>}
            <span className="text-ink-3">
              {countText(chapters.length, 'chapter')} · {owner}
            </span>
          </>
        }
        actions={
          <>
            <Button icon={Download} onClick={download.onSelect}>
              Export
            </Button>
            <Menu label={`More actions for ${name}`} items={[share, 'separator', remove]} />
          </>
        }
      />
      <LinkTabs
        label="Course sections"
        tabs={[
          { to: paths.course(id), label: 'Chapters', count: chapters.length, exact: true },
          { to: paths.course(id, 'files'), label: 'Files', count: files.length },
          ...(mine ? [{ to: paths.course(id, 'details'), label: 'Details' }] : []),
          { to: paths.course(id, 'preview'), label: 'Preview' },
        ]}
      />
      <div className="pt-4">
        {tab === 'files' ? (
          <FilesTab course={course} />
        ) : tab === 'details' ? (
          <DetailsTab course={course} />
        ) : tab === 'preview' ? (
          <div className="mx-auto max-w-190 rounded-card border border-line-1 bg-surface-2 p-5">
            <CourseReader courseId={id} run={null} runBlockedReason={RUN_IN_WORKSHOP} />
          </div>
        ) : (
          <ChaptersTab course={course} />
        )}
      </div>
      {dialogs}
    </>
  )
}
