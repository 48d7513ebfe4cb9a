/**
 * The PostgreSQL connector: people, teams and their members from the tables of an HR system. All of them are read in one
 * transaction, so they fit together, and each table tells how many rows there are.
 */
import { defineConnector, type RecordOf } from "@saas-management/sdk";
import type { Pool } from "pg";
import { attributes } from "../fields.js";
import { inSnapshot, readTable } from "./tables.js";

interface Person {
  readonly id: string;
  readonly full_name: string;
  readonly email: string | null;
  readonly department: string | null;
  readonly job_title: string | null;
  readonly manager_id: string | null;
  readonly left_at: Date | null;
}

interface Team {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

interface Member {
  readonly team_id: string;
  readonly person_id: string;
  readonly role: string | null;
}

/** @param schema of the tables `people`, `teams` and `team_members` */
export function postgresConnector(pool: Pool, schema = "public") {
  return defineConnector({
    snapshots: ["employees", "groups", "groupMembers"],
    run: (batch) =>
      inSnapshot(pool, schema, async (database) => {
        const people = await readTable<Person>(database, "people", [
          "id",
          "full_name",
          "email",
          "department",
          "job_title",
          "manager_id",
          "left_at",
        ]);
        await batch.write("employees", people.rows(toEmployee), { expectedCount: people.count });
        const teams = await readTable<Team>(database, "teams", ["id", "name", "email"]);
        await batch.write("groups", teams.rows(toGroup), { expectedCount: teams.count });
        const members = await readTable<Member>(database, "team_members", ["team_id", "person_id", "role"]);
        await batch.write("groupMembers", members.rows(toMember), { expectedCount: members.count });
      }),
  });
}

function toEmployee(person: Person): RecordOf<"employees"> {
  return {
    id: person.id,
    fullName: person.full_name,
    email: person.email?.toLowerCase(),
    jobTitle: person.job_title,
    managerId: person.manager_id,
    // Said of everybody: the guard compares what is said, and not what is left out.
    deleted: person.left_at !== null,
    deletionTime: person.left_at,
    attributes: attributes({ department: person.department ?? undefined }),
  };
}

function toGroup({ id, name, email }: Team): RecordOf<"groups"> {
  return { id, name, email: email?.toLowerCase() };
}

function toMember({ team_id, person_id, role }: Member): RecordOf<"groupMembers"> {
  return { id: `${team_id}/${person_id}`, sourceGroupId: team_id, sourceMemberId: person_id, role };
}
