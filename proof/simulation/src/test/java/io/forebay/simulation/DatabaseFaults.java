/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

/** What goes wrong between a process and its database. */
interface DatabaseFaults {

  /** Nothing goes wrong. */
  DatabaseFaults NONE =
      new DatabaseFaults() {
        @Override
        public long roundTripNanos() {
          return 100_000;
        }

        @Override
        public boolean refusesConnection() {
          return false;
        }

        @Override
        public Of statement() {
          return Of.GOES_WELL;
        }

        @Override
        public Of commit() {
          return Of.GOES_WELL;
        }

        @Override
        public long noticesDeathAfterNanos() {
          return 1_000_000;
        }
      };

  /** What becomes of a request to the server. */
  enum Of {
    GOES_WELL,
    /** The connection is lost before the server has the request. */
    LOST_BEFORE,
    /** The server has done it; the connection is lost before its answer arrives. */
    LOST_AFTER,
    /** The connection is lost, and the server has the request, which it does later. */
    LATE,
    /** The server rolls the transaction back: a deadlock, or no resources. */
    ROLLED_BACK
  }

  long roundTripNanos();

  boolean refusesConnection();

  Of statement();

  Of commit();

  /** How long a transaction of a dead process stays open. */
  long noticesDeathAfterNanos();
}
