import { EmailDomains } from '@flotilla/contract/email'
import { SEATS_MAX, TRAINING_DURATION_MS, type Training } from '@flotilla/contract/trainings/entity'
import * as z from 'zod/mini'

const SEATS = `Enter a number from 1 to ${SEATS_MAX}`
const time = (text: string) => z.number(text)

export const TrainingFields = z
  .object({
    name: z.string().check(z.trim(), z.minLength(2, 'Min character length is 2'), z.maxLength(100)),
    description: z.string().check(z.maxLength(2000, 'Max character length is 2000')),
    collaborators: z.array(z.string()),
    data: z.object({
      clusterId: z.string(),
      seatMode: z.enum(['shared', 'own']),
      courseId: z.string(),
      appIds: z.array(z.string()),
      seats: z.number(SEATS).check(z.int(SEATS), z.minimum(1, SEATS), z.maximum(SEATS_MAX, SEATS)),
      allowedDomains: EmailDomains,
      startTime: time('Enter a start time'),
      endTime: time('Enter an end time'),
      sessionCode: z.string(),
      twoStep: z.enum(['site', 'on', 'off']),
    }),
  })
  .check(
    z.refine(({ data }) => data.endTime > data.startTime, {
      error: 'Must be after the start',
      path: ['data', 'endTime'],
    }),
  )
export type TrainingValues = z.infer<typeof TrainingFields>

const twoStepChoices = { site: null, on: true, off: false } as const

/** The values as a request body. */
export const bodyOf = ({ data, ...rest }: TrainingValues) => ({
  ...rest,
  data: {
    ...data,
    clusterId: data.clusterId || null,
    courseId: data.courseId || null,
    sessionCode: data.sessionCode.trim() || undefined,
    twoStep: twoStepChoices[data.twoStep],
  },
})

const HOUR_MS = 60 * 60_000
const nextFullHour = (): number => Math.ceil(Date.now() / HOUR_MS) * HOUR_MS

/** The form's values. A copy gets a new time and a new session code. */
export function valuesOf(training: Training | undefined, isCopy: boolean): TrainingValues {
  const start = nextFullHour()
  if (!training)
    return {
      name: '',
      description: '',
      collaborators: [],
      data: {
        clusterId: '',
        seatMode: 'shared',
        courseId: '',
        appIds: [],
        seats: 20,
        allowedDomains: [],
        startTime: start,
        endTime: start + TRAINING_DURATION_MS,
        sessionCode: '',
        twoStep: 'site',
      },
    }
  const { name, description, collaborators, data } = training
  const duration = data.endTime - data.startTime
  return {
    name: isCopy ? `${name} copy` : name,
    description,
    collaborators,
    data: {
      ...data,
      clusterId: data.clusterId ?? '',
      courseId: data.courseId ?? '',
      startTime: isCopy ? start : data.startTime,
      endTime: isCopy ? start + duration : data.endTime,
      sessionCode: isCopy ? '' : data.sessionCode,
      twoStep: data.twoStep === null ? 'site' : data.twoStep ? 'on' : 'off',
    },
  }
}
