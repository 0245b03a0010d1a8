import { courses } from '@flotilla/contract/courses/courses'
import type { Course, CourseSummary } from '@flotilla/contract/courses/entity'
import { Download, Trash2, Users } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { download } from '../../api/download'
import { showError } from '../../api/errors'
import { useApiMutation } from '../../api/query'
import { useIsAdmin } from '../../session/user'
import { CollaboratorsDialog } from '../../sharing/collaborators-dialog'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import type { MenuAction } from '../../ui/overlay/menu-entry'

type AnyCourse = Course | CourseSummary

const touched = [courses.list, courses.view]

/** The actions of a course, for list rows and for its page; render `dialogs` to show their dialogs. */
export function useCourseActions({ onDeleted }: { onDeleted?: () => void } = {}): {
  actionsOf: (course: AnyCourse) => Record<'download' | 'share' | 'remove', MenuAction>
  dialogs: ReactNode
} {
  const admin = useIsAdmin()
  const [opened, setOpened] = useState<{ what: 'share' | 'remove'; course: AnyCourse } | null>(null)
  const close = () => setOpened(null)
  const share = useApiMutation(courses.collaborators, {
    admin,
    invalidates: touched,
    onSuccess: close,
    success: 'Sharing updated',
  })
  const remove = useApiMutation(courses.remove, {
    admin,
    success: 'Course deleted',
    invalidates: [courses.list],
    onSuccess: () => {
      close()
      onDeleted?.()
    },
  })
  const actionsOf = (course: AnyCourse) => {
    const disabledReason = course.mine ? null : `Only the owner, ${course.owner}, can do this`
    return {
      download: {
        label: 'Export',
        icon: Download,
        onSelect: () =>
          void download(courses.export, { id: course.id }, `${course.name}.course.tar.gz`).catch(showError),
      },
      share: {
        label: 'Share',
        icon: Users,
        disabledReason,
        onSelect: () => setOpened({ what: 'share', course }),
      },
      remove: {
        label: 'Delete',
        icon: Trash2,
        disabledReason,
        onSelect: () => setOpened({ what: 'remove', course }),
      },
    }
  }
  const course = opened?.course
  const dialogs = course && (
    <>
      {opened.what === 'share' && (
        <CollaboratorsDialog
          subject={course.name}
          owner={course.owner}
          collaborators={course.collaborators}
          hint="They can read it, use it in their workshops and export it. They cannot change it."
          onSave={(collaborators) => share.mutateAsync({ id: course.id, body: { collaborators } })}
          onClose={close}
        />
      )}
      {opened.what === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Delete ${course.name}?`}
          confirmLabel="Delete course"
          onConfirm={() => remove.mutateAsync({ id: course.id }).catch(close)}
        >
          <p>Its chapters, files and the answers of participants are permanently deleted.</p>
          <p>Export it first if you may need it again.</p>
        </ConfirmDialog>
      )}
    </>
  )
  return { actionsOf, dialogs }
}
