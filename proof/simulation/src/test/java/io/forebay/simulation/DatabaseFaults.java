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
    GOES_WELL("works"),
    /** The connection is lost before the server has the request. */
    LOST_BEFORE("is lost with the connection"),
    /** The server has done it; the connection is lost before its answer arrives. */
    LOST_AFTER("takes effect, but its answer is lost with the connection"),
    /** The connection is lost, and the server has the request, which it does later. */
    LATE("takes effect later, and the connection is lost"),
    /** The server rolls the transaction back: a deadlock, or no resources. */
    ROLLED_BACK("is rolled back");

    private final String words;

    Of(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  long roundTripNanos();

  boolean refusesConnection();

  Of statement();

  Of commit();

  /** How long a transaction of a dead process stays open. */
  long noticesDeathAfterNanos();
}
