import type { ProjectSpec } from "../../../shared/spec/project.ts";
import { isTextSurface, type Surface } from "../../../shared/spec/surface.ts";
import { HarnessError } from "../base/errors.ts";
import { didYouMean } from "../base/similar.ts";
import { harnessFactor } from "./harnessPlaces.ts";

/**
 * The project with those surfaces alone that a proposer owns, by factor or file. Without `owns` it is the project as it is.
 * @throws HarnessError projectInvalid for a name that no surface has
 */
export function withOwnedSurfaces(spec: ProjectSpec, { name, owns }: Owner): ProjectSpec {
  if (owns === undefined) return spec;
  const known = [...new Set([...spec.surfaces.flatMap(namesOf), harnessFactor])];
  const unknown = owns.find((own) => !known.includes(own));
  if (unknown !== undefined)
    throw new HarnessError(
      "projectInvalid",
      `The proposer ${name} owns ${unknown}, but no surface in evotrainer.yaml has that factor or file.${didYouMean(unknown, known)}`,
    );
  const surfaces = spec.surfaces.filter((one) => namesOf(one).some((own) => owns.includes(own)));
  if (owns.includes(harnessFactor)) return { ...spec, surfaces };
  // How evidence is read needs no declared surface.
  return { ...spec, surfaces, diagnostics: [], frozen: [...spec.frozen, { file: projectFile }] };
}

/** What of it says how evidence is read: which shipped diagnostics are used. */
const projectFile = "evotrainer.yaml";

interface Owner {
  readonly name: string;
  readonly owns?: readonly string[] | undefined;
}

const namesOf = (surface: Surface): string[] => [
  surface.factor,
  ...(isTextSurface(surface) ? surface.files : [surface.file]),
];
