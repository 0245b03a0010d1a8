import type { AppInput } from '@flotilla/contract/apps/apps'
import type * as z from 'zod/mini'
import type { ZodForm } from '../../forms/use-zod-form'

/** The app in the form. It is an existing app if it has an ID, otherwise a new one. */
export type AppDraft = AppInput & { id?: string }
export type AppFormState = ZodForm<z.input<typeof AppInput>, AppInput>
