/** What each coming page will do, and what is possible until then, by its path in the route table. */
export const comingSoonTexts: Record<string, { will: string; today: string }> = {
  '/trainings': {
    will: 'Prepare workshops, share their session codes and see who has joined.',
    today: 'You cannot create workshops yet.',
  },
  '/trainings/$id': {
    will: 'An overview of one workshop: its participants, their desktops and the time remaining.',
    today: 'You cannot create workshops yet.',
  },
  '/apps': {
    will: 'Interactive apps, such as a desktop, Jupyter or a code editor, that run on a cluster and open in the browser.',
    today: 'You cannot start apps yet.',
  },
}
