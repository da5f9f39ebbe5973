/** What a page is of: two projects of a window may have versions and jobs of the same name. */
export interface InProject {
  readonly root: string;
  readonly id: string;
}

/** One text for one page. */
export const pageKey = ({ root, id }: InProject): string => JSON.stringify([root, id]);
