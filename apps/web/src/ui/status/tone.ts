/** Green available, blue in progress, amber degraded, red failed, gray stopped or unknown. */
export type Tone = 'green' | 'blue' | 'amber' | 'red' | 'gray'

export const toneSoft: Record<Tone, string> = {
  green: 'bg-green-soft text-green',
  blue: 'bg-blue-soft text-blue',
  amber: 'bg-amber-soft text-amber',
  red: 'bg-red-soft text-red',
  gray: 'bg-gray-soft text-gray',
}

export const toneDot: Record<Tone, string> = {
  green: 'bg-green-dot',
  blue: 'bg-blue-dot',
  amber: 'bg-amber-dot',
  red: 'bg-red-dot',
  gray: 'bg-gray-dot',
}

export const toneBorder: Record<Tone, string> = {
  green: 'border-green-dot',
  blue: 'border-blue-dot',
  amber: 'border-amber-dot',
  red: 'border-red-dot',
  gray: 'border-gray-dot',
}
