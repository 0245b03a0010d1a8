import { courses } from '@flotilla/contract/courses/courses'
import type { Course, CourseSummary } from '@flotilla/contract/courses/entity'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { download } from '../../api/download'
import { showError } from '../../api/errors'
import { useApiMutation } from '../../api/query'
import { useIsAdmin } from '../../session/user'
import { useOwnedActions } from '../../sharing/use-owned-actions'
import type { MenuAction } from '../../ui/overlay/menu-entry'

type AnyCourse = Course | CourseSummary

/** The actions of a course, for list rows and for its page. Render `dialogs` to show their dialogs. */
export function useCourseActions({ onDeleted }: { onDeleted?: () => void } = {}): {
  actionsOf: (course: AnyCourse) => Record<'download' | 'share' | 'remove', MenuAction>
  dialogs: ReactNode
} {
  const admin = useIsAdmin()
  const share = useApiMutation(courses.collaborators, {
    admin,
    invalidates: [courses.list, courses.view],
    success: 'Sharing updated',
  })
  const remove = useApiMutation(courses.remove, {
    admin,
    invalidates: [courses.list],
    success: 'Course deleted',
    onSuccess: onDeleted,
  })
  const { ownedActions, ownedDialogs } = useOwnedActions<AnyCourse>({
    noun: 'course',
    shareHint: 'They can read it, use it in their workshops and export it. They cannot change it.',
    share: ({ id }, collaborators) => share.mutateAsync({ id, body: { collaborators } }),
    remove: ({ id }) => remove.mutateAsync({ id }),
    removeText: () => (
      <>
        <p>Its chapters, files and participants’ answers are permanently deleted.</p>
        <p>Export it first if you may need it again.</p>
      </>
    ),
  })
  const actionsOf = (course: AnyCourse) => ({
    ...ownedActions(course),
    download: {
      label: 'Export',
      icon: Download,
      onSelect: () =>
        void download(courses.export, { id: course.id }, `${course.name}.course.tar.gz`).catch(showError),
    },
  })
  return { actionsOf, dialogs: ownedDialogs }
}
