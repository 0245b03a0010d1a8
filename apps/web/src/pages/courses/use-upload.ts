import { courses } from '@flotilla/contract/courses/courses'
import { COURSE_FILE_MAX_BYTES, type CourseFile } from '@flotilla/contract/courses/entity'
import { useState } from 'react'
import { showError } from '../../api/errors'
import { useApiMutation } from '../../api/query'
import { useIsAdmin } from '../../session/user'
import { sizeText } from '../../ui/text/size-text'

/** Adds files to a course, one after the other. A file with the same name is replaced. */
export function useUpload(courseId: string) {
  const admin = useIsAdmin()
  const [busy, setBusy] = useState(false)
  const put = useApiMutation(courses.putFile, { admin, invalidates: [courses.view, courses.outline] })
  const upload = async (files: readonly File[]): Promise<CourseFile[]> => {
    const added: CourseFile[] = []
    setBusy(true)
    try {
      for (const file of files) {
        if (file.size > COURSE_FILE_MAX_BYTES)
          showError(new Error(`${file.name} is larger than ${sizeText(COURSE_FILE_MAX_BYTES)}`))
        else
          added.push(
            await put.mutateAsync({
              id: courseId,
              name: file.name,
              bytes: new Uint8Array(await file.arrayBuffer()),
            }),
          )
      }
    } catch {
      // The ERROR dialog shows the reason.
    } finally {
      setBusy(false)
    }
    return added
  }
  return { upload, busy }
}

/** The Markdown that shows a picture or links to an attachment. */
export const markdownOf = ({ name, picture }: CourseFile): string =>
  `${picture ? '!' : ''}[${name.replace(/\.[^.]*$/, '')}](files/${encodeURIComponent(name)})`
