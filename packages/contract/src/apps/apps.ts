import * as z from 'zod/mini'
import { del, get, post, put } from '../endpoint'
import { JobData, scriptProblem } from '../jobs/jobs'
import { Id, Removed, Time } from '../lists'
import { Role } from '../role'

export const APP_FIELDS_MAX = 20
export const APP_TIME_MAX_MINUTES = 7 * 24 * 60

export const appIcons = [
  'app',
  'desktop',
  'notebook',
  'code',
  'chart',
  'flask',
  'terminal',
  'database',
] as const
export const appFieldKinds = ['text', 'number', 'choice', 'switch'] as const

const text = (max: number) => z.string().check(z.trim(), z.maxLength(max, `Max character length is ${max}`))
const required = (max: number, message: string) => text(max).check(z.minLength(1, message))

/**
 * A setting that users choose when they start the app. The script receives it as `APP_` followed by its name in
 * capitals.
 */
export const AppField = z
  .object({
    name: z
      .string()
      .check(
        z.regex(
          /^[a-z][a-z0-9_]{0,31}$/,
          'Use lowercase letters, digits and underscores, beginning with a letter',
        ),
      ),
    label: required(64, 'Enter a label'),
    kind: z.enum(appFieldKinds),
    help: z._default(text(200), ''),
    /** For a switch, `true` or `false`. */
    default: z._default(text(1000), ''),
    required: z._default(z.boolean(), false),
    /** For a choice. */
    options: z._default(z.array(required(100, 'Enter an option')).check(z.maxLength(50)), []),
  })
  .check(
    z.superRefine((field, context) => {
      if (field.kind === 'choice' && field.options.length === 0)
        context.addIssue({ code: 'custom', path: ['options'], message: 'Enter at least one option' })
      const problem = field.default === '' ? null : valueProblem(field, field.default)
      if (problem) context.addIssue({ code: 'custom', path: ['default'], message: problem })
    }),
  )
export type AppField = z.infer<typeof AppField>

/** The error message for a field's value, or null. */
export function valueProblem(
  { kind, options, required: isRequired }: Pick<AppField, 'kind' | 'options' | 'required'>,
  value: string,
): string | null {
  if (value === '') return isRequired ? 'Enter a value' : null
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x1f\x7f]/.test(value)) return 'Enter one line of text'
  if (kind === 'number' && !/^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return 'Enter a number'
  if (kind === 'switch' && value !== 'true' && value !== 'false') return 'Must be true or false'
  if (kind === 'choice' && !options.includes(value)) return `Choose one of ${options.join(', ')}`
  return null
}

/** The resources of the one node that an app runs on. */
export const AppResources = z.pick(JobData, { cores: true, gpus: true, walltime: true })
export type AppResources = z.infer<typeof AppResources>

/** The app is ready when this path responds with this status. */
const AppReady = z.object({
  path: z._default(
    z
      .string()
      .check(z.maxLength(500), z.regex(/^\/[!-~]*$/, 'Enter a path that begins with /, such as /api/status')),
    '/',
  ),
  status: z._default(
    z
      .number('Enter an HTTP status')
      .check(z.int(), z.minimum(100, 'Enter an HTTP status'), z.maximum(599, 'Enter an HTTP status')),
    200,
  ),
})

export const AppInput = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(2, 'Min character length is 2'),
      z.maxLength(64, 'Max character length is 64'),
      z.regex(
        /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u,
        'Use letters, numbers, spaces, dots, dashes and underscores',
      ),
    ),
  icon: z._default(z.enum(appIcons), 'app'),
  description: z._default(text(500), ''),
  fields: z._default(
    z.array(AppField).check(
      z.maxLength(APP_FIELDS_MAX, `At most ${APP_FIELDS_MAX} fields`),
      z.superRefine((fields, context) => {
        fields.forEach(({ name }, index) => {
          if (fields.findIndex((other) => other.name === name) < index)
            context.addIssue({
              code: 'custom',
              path: [index, 'name'],
              message: 'Another field has this name',
            })
        })
      }),
    ),
    [],
  ),
  /** A bash script. It receives PORT, HOST, BASE_URL and TOKEN, and must listen on PORT. */
  script: z.string().check(
    z.maxLength(100_000, 'The script is too long'),
    z.superRefine((script, context) => {
      const problem = scriptProblem(script)
      if (problem) context.addIssue(problem)
    }),
  ),
  resources: z.prefault(AppResources, {}),
  ready: z.prefault(AppReady, {}),
  allowedRoles: z._default(z.array(Role).check(z.minLength(1, 'Choose at least one role')), [
    'admin',
    'instructor',
    'user',
    'participant',
  ]),
})
export type AppInput = z.infer<typeof AppInput>

export const App = z.object({
  ...AppInput.shape,
  id: Id,
  /** Apps that come with the console cannot be changed. */
  builtIn: z.boolean(),
  /** Whether it opens a session of its own or the desktop of a cluster. */
  opens: z.enum(['session', 'desktop']),
  owner: z.nullable(z.string()),
  /** Whether the caller may change it. */
  mine: z.boolean(),
  updatedAt: z.nullable(Time),
})
export type App = z.infer<typeof App>

export const apps = {
  list: get('/api/apps/', {
    summary: 'List the apps that you can start',
    access: 'loggedIn',
    reply: z.array(App),
  }),
  view: get('/api/apps/:id', { summary: 'Get an app', access: 'loggedIn', reply: App }),
  create: post('/api/apps/', {
    summary: 'Create an app',
    access: 'instructor',
    wrapper: 'app',
    body: AppInput,
    reply: App,
    status: 201,
    failure: 'form',
  }),
  update: put('/api/apps/', {
    summary: 'Update an app',
    access: 'instructor',
    wrapper: 'app',
    body: z.extend(AppInput, { id: Id }),
    reply: App,
    failure: 'form',
    adminScope: true,
  }),
  remove: del('/api/apps/:id', {
    summary: 'Delete an app. Its running sessions continue',
    access: 'instructor',
    reply: Removed,
    adminScope: true,
  }),
}
