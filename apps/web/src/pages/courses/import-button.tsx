import { courses } from '@flotilla/contract/courses/courses'
import { COURSE_FILES_MAX_BYTES } from '@flotilla/contract/courses/entity'
import { FileUp } from 'lucide-react'
import { showError } from '../../api/errors'
import { useApiMutation } from '../../api/query'
import { FileButton } from '../../forms/file-button'
import { paths, useGo } from '../../paths'
import { sizeText } from '../../ui/text/size-text'

/** Creates a course from an exported archive. */
export function ImportButton() {
  const go = useGo()
  const add = useApiMutation(courses.import, {
    success: 'Course imported',
    invalidates: [courses.list],
    onSuccess: ({ id }) => go(paths.course(id)),
  })
  const send = async (file: File | undefined) => {
    if (!file) return
    if (file.size > COURSE_FILES_MAX_BYTES)
      return showError(new Error(`An archive can have at most ${sizeText(COURSE_FILES_MAX_BYTES)}`))
    add.mutate({ body: { archive: { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) } } })
  }
  return (
    <FileButton
      icon={FileUp}
      busy={add.isPending}
      accept=".gz,.tgz,application/gzip"
      onFiles={([file]) => void send(file)}
    >
      Import
    </FileButton>
  )
}
