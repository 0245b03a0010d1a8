/** Why an author cannot run the code of a chapter. */
export const RUN_IN_WORKSHOP = 'Participants of a workshop run this in their own terminal'
