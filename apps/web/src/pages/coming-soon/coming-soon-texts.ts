/** What each coming page will do, and what is possible until then, by its path in the route table. */
export const comingSoonTexts: Record<string, { will: string; today: string }> = {
  '/courses': {
    will: 'Courses with the material, image and cluster template for a workshop.',
    today: 'You cannot create courses yet.',
  },
}
