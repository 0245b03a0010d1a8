import { useMemo } from 'react'
import { useForm } from 'react-hook-form'
import type { DefaultValues, FieldValues, UseFormReturn } from 'react-hook-form'
import type { core } from 'zod/mini'
import type { Resolver } from 'react-hook-form'
import { pressEnd } from '../ui/button/press'
import { zodResolver } from './zod-resolver'
import type { MoreErrors } from './zod-resolver'

/** A form over a contract schema: typed values go in, parsed values come out. */
export type ZodForm<Input extends FieldValues, Output = Input> = UseFormReturn<Input, unknown, Output>

interface Options<Input extends FieldValues> {
  defaults: DefaultValues<Input>
  /** Server data that may still change: untouched fields follow it, edited ones are kept. */
  values?: Input
  /** Finds additional errors. Must be the same function on each render. */
  more?: MoreErrors<Input>
}

/** Errors appear after a field is left or the form is submitted, and disappear once fixed. */
export function useZodForm<Input extends FieldValues, Output>(
  schema: core.$ZodType<Output, Input>,
  { defaults, values, more }: Options<Input>,
): ZodForm<Input, Output> {
  const resolver = useMemo((): Resolver<Input, unknown, Output> => {
    const check = zodResolver(schema, more)
    return async (...given) => {
      await pressEnd()
      return check(...given)
    }
  }, [schema, more])
  return useForm<Input, unknown, Output>({
    resolver,
    defaultValues: defaults,
    ...(values && { values, resetOptions: { keepDirtyValues: true } }),
    mode: 'onTouched',
    shouldFocusError: true,
  })
}
