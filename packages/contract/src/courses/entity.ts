import * as z from 'zod/mini'
import { Id, Time } from '../lists'
import { marketplace } from '../stacks/marketplace'
import { describeProblem, splitChapter } from './chapter'
import { QUIZ_ANSWER_MAX, QUIZ_CHOICES_MAX, quizKinds } from './quiz'

const COURSE_NAME_MAX = 100
/** For courses and workshops, which may refer to a custom app that was deleted. */
export const NO_SUCH_APP = 'No such app, or it was deleted'

export const CHAPTERS_MAX = 100
/** Browsers would take too long to render more. */
const CHAPTER_MAX = 60_000
const COURSE_APPS_MAX = 20
export const COURSE_FILES_MAX = 200
/** Per file; a file is uploaded in one request. */
export const COURSE_FILE_MAX_BYTES = 8 * 1024 * 1024
/** All files of a course together. */
export const COURSE_FILES_MAX_BYTES = 32 * 1024 * 1024

const text = (max: number) => z.string().check(z.maxLength(max, `Max character length is ${max}`))
const titled = (max: number, missing: string) =>
  z.string().check(z.trim(), z.minLength(1, missing), z.maxLength(max, `Max character length is ${max}`))

export const CourseInput = z.object({
  name: titled(COURSE_NAME_MAX, 'Enter a name'),
  description: z._default(text(2000), ''),
  /** The marketplace entry that this course's clusters start from. */
  templateId: z._default(
    z.nullable(
      z
        .number()
        .check(
          z.refine(
            (id) => marketplace.some((entry) => entry.id === id),
            'No such template in the marketplace',
          ),
        ),
    ),
    null,
  ),
  /** The apps that its participants use. */
  appIds: z._default(
    z.array(Id).check(z.maxLength(COURSE_APPS_MAX, `Choose at most ${COURSE_APPS_MAX} apps`)),
    [],
  ),
})
export type CourseInput = z.infer<typeof CourseInput>

export const ChapterInput = z.object({
  title: titled(200, 'Enter a title'),
  markdown: z._default(
    text(CHAPTER_MAX).check(
      z.superRefine((markdown, context) => {
        const [problem] = splitChapter(markdown).problems
        if (problem) context.addIssue({ code: 'custom', message: describeProblem(problem) })
      }),
    ),
    '',
  ),
})
export type ChapterInput = z.infer<typeof ChapterInput>

/** A file name that is valid on every system and in every archive format. */
export const CourseFileName = z.string().check(
  z.normalize('NFC'),
  z.minLength(1, 'Enter a file name'),
  z.maxLength(80, 'Max character length is 80'),
  z.regex(
    /^[\p{L}\p{N}_][\p{L}\p{N}_. ()+@,=-]*$/u,
    'Use letters, numbers, spaces and . _ - ( ) + @ , = and start with a letter or number',
  ),
  z.refine((name) => !/[. ]$/.test(name), 'A file name cannot end with a dot or a space'),
  // The name has a fixed number of bytes in the archive.
  z.refine((name) => encodeURIComponent(name).replace(/%../g, '.').length <= 90, 'The file name is too long'),
)

/** Image types, detected from the content, that chapters may show. All other files can only be downloaded. */
const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type PictureType = (typeof pictureTypes)[number]

export const CourseFile = z.object({
  name: z.string(),
  size: z.number(),
  /** Null unless chapters can show it. */
  picture: z.nullable(z.enum(pictureTypes)),
})
export type CourseFile = z.infer<typeof CourseFile>

const Summary = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  templateId: z.nullable(z.number()),
  appIds: z.array(Id),
  owner: z.string(),
  /** Whether the caller may change it. */
  mine: z.boolean(),
  collaborators: z.array(z.string()),
  createdAt: Time,
  updatedAt: Time,
})
export const CourseSummary = z.extend(Summary, { chapters: z.number() })
export type CourseSummary = z.infer<typeof CourseSummary>

export const Chapter = z.object({ id: Id, title: z.string(), markdown: z.string(), updatedAt: Time })
export type Chapter = z.infer<typeof Chapter>
/** The course as its authors see it: with the correct answers. */
export const Course = z.extend(Summary, { chapters: z.array(Chapter), files: z.array(CourseFile) })
export type Course = z.infer<typeof Course>

/** The result of an answer. Only users who answered see the correct answers and the explanation. */
export const QuizResult = z.object({
  answer: z.array(z.string()),
  /** Null for an open question. */
  correct: z.nullable(z.boolean()),
  right: z.array(z.string()),
  explanation: z.string(),
  answeredAt: Time,
})
export type QuizResult = z.infer<typeof QuizResult>

/** A quiz as readers see it. */
export const ReaderQuiz = z.object({
  id: z.string(),
  kind: z.enum(quizKinds),
  question: z.string(),
  choices: z.array(z.string()),
  result: z.nullable(QuizResult),
})
export type ReaderQuiz = z.infer<typeof ReaderQuiz>

export const ReaderPart = z.union([
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('quiz'), quiz: ReaderQuiz }),
])
export type ReaderPart = z.infer<typeof ReaderPart>

/** A course as readers see it: chapter by chapter. */
export const CourseOutline = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  files: z.array(CourseFile),
  chapters: z.array(
    z.object({
      id: Id,
      title: z.string(),
      openedAt: z.nullable(Time),
      doneAt: z.nullable(Time),
    }),
  ),
  /** The workshop in which progress is recorded; null for someone who only views the course. */
  trainingId: z.nullable(Id),
})
export type CourseOutline = z.infer<typeof CourseOutline>

/** The chosen options, or the typed text. */
export const QuizAnswer = z.object({
  answer: z
    .array(z.string().check(z.trim(), z.minLength(1, 'Enter an answer'), z.maxLength(QUIZ_ANSWER_MAX)))
    .check(z.minLength(1, 'Choose an answer'), z.maxLength(QUIZ_CHOICES_MAX)),
})

/** The progress of one participant. */
export const CourseProgress = z.object({
  registrationId: Id,
  name: z.string(),
  email: z.string(),
  chapters: z.array(z.object({ id: Id, openedAt: Time, doneAt: z.nullable(Time) })),
  answers: z.array(
    z.object({
      chapterId: Id,
      question: z.string(),
      answer: z.array(z.string()),
      correct: z.nullable(z.boolean()),
      answeredAt: Time,
    }),
  ),
})
export type CourseProgress = z.infer<typeof CourseProgress>
