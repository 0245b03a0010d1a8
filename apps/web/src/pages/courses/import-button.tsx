import { courses } from '@flotilla/contract/courses/courses'
import { COURSE_FILES_MAX_BYTES } from '@flotilla/contract/courses/entity'
import { FileUp } from 'lucide-react'
import { useRef } from 'react'
import { showError } from '../../api/errors'
import { useApiMutation } from '../../api/query'
import { paths, useGo } from '../../paths'
import { Button } from '../../ui/button/button'
import { sizeText } from '../../ui/text/size-text'

/** Creates a course from an exported archive. */
export function ImportButton() {
  const input = useRef<HTMLInputElement>(null)
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
    <>
      <Button icon={FileUp} busy={add.isPending} onClick={() => input.current?.click()}>
        Import
      </Button>
      <input
        ref={input}
        type="file"
        accept=".gz,.tgz,application/gzip"
        className="hidden"
        aria-hidden
        tabIndex={-1}
        onChange={({ target }) => {
          void send(target.files?.[0])
          // The same file can be chosen again after it has changed.
          target.value = ''
        }}
      />
    </>
  )
}
