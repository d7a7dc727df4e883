/**
 * Projects of organizations, in memory. A project is found by its organization and its id together: an id alone, which a
 * client may have from anywhere, finds nothing.
 *
 * @module
 */

/** A project. */
export interface Project {
  readonly id: string;
  /** Id of the organization. */
  readonly org: string;
  readonly name: string;
}

/** Where projects are stored. */
export interface ProjectStore {
  /** All projects of these organizations. */
  list(orgs: ReadonlySet<string>): readonly Project[];
  create(org: string, name: string): Project;
  find(org: string, id: string): Project | undefined;
  rename(org: string, id: string, name: string): Project | undefined;
  /** Deletes a project, and says whether there was one. */
  delete(org: string, id: string): boolean;
  /** Deletes all projects of an organization. */
  deleteAll(org: string): void;
}

/** Creates an empty store. */
export function createProjectStore(): ProjectStore {
  const projects = new Map<string, Project>(); // by organization and id

  const keyOf = (org: string, id: string) => JSON.stringify([org, id]);

  function save(project: Project): Project {
    projects.set(keyOf(project.org, project.id), project);
    return project;
  }

  return {
    list: (orgs) => [...projects.values()].filter(({ org }) => orgs.has(org)),
    create: (org, name) => save({ id: crypto.randomUUID(), org, name }),
    find: (org, id) => projects.get(keyOf(org, id)),
    rename(org, id, name) {
      const project = projects.get(keyOf(org, id));
      return project && save({ ...project, name });
    },
    delete: (org, id) => projects.delete(keyOf(org, id)),
    deleteAll(org) {
      for (const project of projects.values()) {
        if (project.org === org) projects.delete(keyOf(org, project.id));
      }
    },
  };
}
