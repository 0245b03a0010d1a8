import type { CourseFile } from '@flotilla/contract/courses/entity'
import { createContext, use } from 'react'

/** What the text of a chapter refers to. */
export type CourseReference = {
  id: string
  files: readonly CourseFile[]
  /** Types code into the reader's terminal; null, with the reason, where there is none. */
  run: ((code: string) => void) | null
  runBlockedReason: string | null
}

export const CourseContext = createContext<CourseReference>({
  id: '',
  files: [],
  run: null,
  runBlockedReason: null,
})
export const useCourse = (): CourseReference => use(CourseContext)
