import type { PictureType } from '@flotilla/contract/courses/entity'

export type CourseRow = {
  id: string
  owner_id: string
  name: string
  description: string
  template_id: number | null
  app_ids: string[]
  created_at: Date
  updated_at: Date
}

export type CourseTables = {
  courses: CourseRow
  course_collaborators: { course_id: string; user_id: string }
  course_chapters: {
    id: string
    course_id: string
    position: number
    title: string
    markdown: string
    updated_at: Date
  }
  course_files: { course_id: string; name: string; picture: PictureType | null; bytes: Buffer }
  course_progress: {
    training_id: string
    registration_id: string
    chapter_id: string
    opened_at: Date
    done_at: Date | null
  }
  course_answers: {
    training_id: string
    registration_id: string
    chapter_id: string
    quiz: string
    question: string
    answer: string[]
    correct: boolean | null
    answered_at: Date
  }
}
