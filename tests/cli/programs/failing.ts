throw new Error("no database");
