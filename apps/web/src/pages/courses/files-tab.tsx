import { courses } from '@flotilla/contract/courses/courses'
import { COURSE_FILE_MAX_BYTES, type Course, type CourseFile } from '@flotilla/contract/courses/entity'
import { Download, FileText, Image, Paperclip, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { download } from '../../api/download'
import { showError } from '../../api/errors'
import { useApiMutation } from '../../api/query'
import { FileButton } from '../../forms/file-button'
import { useFileDrop } from '../../forms/use-file-drop'
import { useIsAdmin } from '../../session/user'
import { IconButton } from '../../ui/button/button'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { Glyph } from '../../ui/status/icon'
import { CopyText } from '../../ui/text/copy-text'
import { cx } from '../../ui/text/cx'
import { sizeText } from '../../ui/text/size-text'
import { markdownOf, useUpload } from './use-upload'

/** Pictures and attachments, with the Markdown that includes each in a chapter. */
export function FilesTab({ course }: { course: Course }) {
  const { id, files, mine } = course
  const { upload, busy } = useUpload(id)
  const { over, listeners } = useFileDrop((dropped) => void upload(dropped))
  const [removing, setRemoving] = useState<CourseFile | null>(null)
  const admin = useIsAdmin()
  const remove = useApiMutation(courses.removeFile, { admin, invalidates: [courses.view, courses.outline] })
  const add = mine && (
    <FileButton
      variant="primary"
      icon={Upload}
      busy={busy}
      multiple
      onFiles={(chosen) => void upload(chosen)}
    >
      Add files
    </FileButton>
  )
  return (
    <div
      {...(mine && listeners)}
      className={cx('rounded-card border bg-surface-2', over ? 'border-accent' : 'border-line-1')}
    >
      {files.length === 0 ? (
        <EmptyState icon={Paperclip} title="No files yet" action={add}>
          Pictures (PNG, JPEG, GIF, WebP) appear in chapters; everything else is offered for download. Up to{' '}
          {sizeText(COURSE_FILE_MAX_BYTES)} each.
        </EmptyState>
      ) : (
        <>
          <ul aria-label="Files" className="divide-y divide-line-1">
            {files.map((file) => (
              <li
                key={file.name}
                className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-body"
              >
                <Glyph icon={file.picture ? Image : FileText} className="text-ink-3" />
                <span className="min-w-40 flex-1 font-medium wrap-anywhere">{file.name}</span>
                <CopyText text={markdownOf(file)} label={`Markdown for ${file.name}`} />
                <span className="text-ink-2 tabular-nums sm:w-20 sm:text-right">{sizeText(file.size)}</span>
                <span className="flex">
                  <IconButton
                    label={`Download ${file.name}`}
                    icon={Download}
                    onClick={() =>
                      void download(courses.file, { id, name: file.name }, file.name).catch(showError)
                    }
                  />
                  {mine && (
                    <IconButton
                      label={`Delete ${file.name}`}
                      icon={Trash2}
                      onClick={() => setRemoving(file)}
                    />
                  )}
                </span>
              </li>
            ))}
          </ul>
          {mine && <div className="border-t border-line-1 p-3">{add}</div>}
        </>
      )}
      {removing && (
        <ConfirmDialog
          open
          onClose={() => setRemoving(null)}
          title={`Delete ${removing.name}?`}
          confirmLabel="Delete file"
          onConfirm={() =>
            remove
              .mutateAsync({ id, name: removing.name })
              .finally(() => setRemoving(null))
              .catch(() => {})
          }
        >
          <p>Chapters that use it will show a broken image or link.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
