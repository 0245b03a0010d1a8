import { allowsEveryone, ANYWHERE } from '@flotilla/contract/clusters/ranges'
import { useController } from 'react-hook-form'
import { TagsField } from '../forms/fields/tags-field'
import { Callout } from '../ui/feedback/callout'
import { Checkbox } from '../ui/form/checkbox'
import type { Frame } from './listed-fields'

interface Props extends Frame {
  /** The ranges that are restored when "Allow everyone" is unchecked. */
  preset: readonly string[]
  placeholder: string | undefined
}

/** Ranges of addresses that can connect. Allowing everyone is a separate choice. */
export function RangesField({ preset, placeholder, ...frame }: Props) {
  const { field } = useController({ control: frame.form.control, name: frame.name })
  const ranges: readonly string[] = field.value ?? []
  const everyone = ranges.length > 0 && allowsEveryone(ranges)
  return (
    <div className="flex flex-col gap-2">
      <TagsField {...frame} noun="range" {...(placeholder !== undefined && { placeholder })} />
      <Checkbox
        label="Allow everyone"
        checked={everyone}
        onChange={({ target }) => field.onChange(target.checked ? [ANYWHERE] : [...preset])}
      />
      {everyone && (
        <Callout tone="amber" title="The whole internet can connect to the head node">
          SSH and OpenVPN still require a key, but a vulnerability in either is exposed to everyone. If you
          can, enter your site’s ranges instead.
        </Callout>
      )}
    </div>
  )
}
