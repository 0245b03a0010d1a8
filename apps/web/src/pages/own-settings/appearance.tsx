import { type Appearance as Chosen, ui } from '@flotilla/contract/site/ui'
import { useState } from 'react'
import { useApiMutation } from '../../api/query'
import { applyPreferences } from '../../shell/theme'
import { RadioCards } from '../../ui/form/radio-cards'
import { SafePalettePreview, ThemePreview } from './theme-preview'
import { SaveStatus } from './save-status'

/** Appearance settings. Each choice takes effect immediately, and is reverted if saving it fails. */
export function Appearance({ saved }: { saved: Chosen }) {
  const [chosen, setChosen] = useState(saved)
  const save = useApiMutation(ui.setPreferences, { invalidates: [ui.settings] })

  const choose = async (change: Partial<Chosen>) => {
    const next = { ...chosen, ...change }
    setChosen(next)
    applyPreferences(next)
    try {
      await save.mutateAsync({ body: { preferences: change } })
    } catch {
      setChosen(chosen)
      applyPreferences(chosen)
    }
  }

  return (
    <div className="flex flex-col gap-6">
      <RadioCards
        legend="Theme"
        name="theme"
        columns={3}
        value={chosen.theme}
        onChange={(theme) => void choose({ theme })}
        options={[
          { value: 'system', label: 'System', description: <ThemePreview themes={['light', 'dark']} /> },
          { value: 'light', label: 'Light', description: <ThemePreview themes={['light']} /> },
          { value: 'dark', label: 'Dark', description: <ThemePreview themes={['dark']} /> },
        ]}
      />
      <RadioCards
        legend="Status colors"
        name="palette"
        value={chosen.palette}
        onChange={(palette) => void choose({ palette })}
        options={[
          {
            value: 'standard',
            label: 'Standard',
            description: 'Green, amber, red and gray dots next to the text.',
          },
          {
            value: 'safe',
            label: 'Color-blind safe',
            description: <SafePalettePreview />,
          },
        ]}
      />
      <RadioCards
        legend="Times"
        name="times"
        value={chosen.times}
        onChange={(times) => void choose({ times })}
        options={[
          {
            value: 'relative',
            label: 'Relative',
            description: '5 minutes ago, with the exact time on hover',
          },
          {
            value: 'absolute',
            label: 'Absolute',
            description: 'Date and time, with the relative time on hover',
          },
        ]}
      />
      <SaveStatus save={save} />
    </div>
  )
}
