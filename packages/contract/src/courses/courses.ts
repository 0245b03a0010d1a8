import * as z from 'zod/mini'
import { del, get, post, put } from '../endpoint'
import { Done, Id, Page, Removed } from '../lists'
import { Usernames } from '../stacks/entity'
import {
  Chapter,
  ChapterInput,
  CHAPTERS_MAX,
  Course,
  CourseFile,
  CourseInput,
  CourseOutline,
  CourseProgress,
  CourseSummary,
  QuizAnswer,
  QuizResult,
  ReaderPart,
} from './entity'

const authors = { access: 'instructor', failure: 'form', adminScope: true } as const

export const courses = {
  list: get('/api/courses/', {
    summary: 'List the courses you can see, newest first',
    access: 'instructor',
    query: Page,
    reply: z.array(CourseSummary),
  }),
  view: get('/api/courses/:id', {
    summary:
      'Get a course with its chapters as they were written, for authors and instructors it is shared with',
    access: 'instructor',
    reply: Course,
  }),
  create: post('/api/courses/', {
    ...authors,
    summary: 'Create a course',
    body: CourseInput,
    reply: Course,
    status: 201,
  }),
  update: put('/api/courses/:id', {
    ...authors,
    summary: 'Update the name, description, template and apps of a course',
    body: CourseInput,
    reply: Course,
  }),
  collaborators: put('/api/courses/:id/collaborators', {
    ...authors,
    summary: 'Set who else can use it in workshops',
    body: z.object({ collaborators: Usernames }),
    reply: Course,
  }),
  remove: del('/api/courses/:id', {
    summary: 'Delete a course that no workshop uses, with its chapters and files',
    access: 'instructor',
    reply: Removed,
    adminScope: true,
  }),
  addChapter: post('/api/courses/:id/chapters', {
    ...authors,
    summary: 'Add a chapter at the end',
    body: ChapterInput,
    reply: Chapter,
    status: 201,
  }),
  saveChapter: put('/api/courses/:id/chapters/:chapter', {
    ...authors,
    summary: 'Save a chapter. `updatedAt` guards against overwriting someone else’s changes',
    body: z.extend(ChapterInput, { updatedAt: z.optional(z.number()) }),
    reply: Chapter,
  }),
  removeChapter: del('/api/courses/:id/chapters/:chapter', {
    summary: 'Delete a chapter, with the progress and answers of participants in it',
    access: 'instructor',
    reply: Removed,
    adminScope: true,
  }),
  orderChapters: put('/api/courses/:id/order', {
    summary: 'Set the order of the chapters',
    access: 'instructor',
    body: z.object({ chapters: z.array(Id).check(z.maxLength(CHAPTERS_MAX)) }),
    reply: Course,
    adminScope: true,
  }),
  file: get('/api/courses/:id/files/:name', {
    summary: 'Download a picture or attachment of a course',
    access: 'loggedIn',
    reply: { file: 'application/octet-stream' },
    failure: 'caller',
  }),
  putFile: put('/api/courses/:id/files/:name', {
    summary: 'Add or replace a picture or attachment (application/octet-stream)',
    access: 'instructor',
    raw: true,
    reply: CourseFile,
    adminScope: true,
  }),
  removeFile: del('/api/courses/:id/files/:name', {
    summary: 'Delete a picture or attachment',
    access: 'instructor',
    reply: Done,
    adminScope: true,
  }),
  export: get('/api/courses/:id/export', {
    summary: 'Download a course with its chapters and files as .tar.gz',
    access: 'instructor',
    reply: { file: 'application/gzip' },
  }),
  import: post('/api/courses/import', {
    summary: 'Create a course from an exported archive (form: file `archive`)',
    access: 'instructor',
    body: z.object({
      archive: z.object({
        name: z.string(),
        bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'Send a file'),
      }),
    }),
    reply: Course,
    status: 201,
    files: true,
  }),
  outline: get('/api/courses/:id/outline', {
    summary: 'Get the chapters of a course for reading it, with your own progress',
    access: 'loggedIn',
    reply: CourseOutline,
  }),
  readChapter: get('/api/courses/:id/chapters/:chapter/read', {
    summary: 'Read a chapter. Correct answers of a quiz are included once you have answered it',
    access: 'loggedIn',
    reply: z.array(ReaderPart),
  }),
  markChapter: post('/api/courses/:id/chapters/:chapter/progress', {
    summary: 'Record that you opened or finished a chapter',
    access: 'loggedIn',
    body: z.object({ done: z.optional(z.boolean()) }),
    reply: CourseOutline,
  }),
  answer: post('/api/courses/:id/chapters/:chapter/quizzes/:quiz', {
    summary: 'Answer a quiz, once',
    access: 'loggedIn',
    body: QuizAnswer,
    reply: QuizResult,
    failure: 'caller',
  }),
  progress: get('/api/courses/:id/progress', {
    summary: 'List each participant’s progress and answers in a workshop, for its instructors',
    access: 'instructor',
    query: z.object({ trainingId: Id }),
    reply: z.array(CourseProgress),
  }),
}
