/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/** The names of the ingest benchmark's figures in the JSON. */
final class IngestFigure {

  /** Acknowledged requests per second, from the first request to the last answer. */
  static final String PER_SECOND = "requestsPerSecond";

  static final String REQUESTS = "requests";

  static final String MEAN = "meanMillis";
  static final String STDEV = "stdevMillis";
  static final String P50 = "p50Millis";
  static final String P90 = "p90Millis";
  static final String P99 = "p99Millis";
  static final String P999 = "p999Millis";
  static final String MAX = "maxMillis";

  /** Answers with a status other than 2xx. */
  static final String REFUSED = "refused";

  /** Requests whose connection ended before an answer. */
  static final String LOST = "lost";

  /** Rows of this run when all orders were performed. */
  static final String ROWS = "rows";

  /** The time from the last answer until every order is a row. */
  static final String DRAIN = "drainSeconds";

  /** Orders per second that became rows, from the first request until all have. */
  static final String PERFORMED_PER_SECOND = "performedPerSecond";

  /** CPU time per acknowledged order, until each is a row. */
  static final String SERVER_MICROS = "serverMicrosPerOrder";

  static final String DATABASE_MICROS = "databaseMicrosPerOrder";

  /** Of product, database and generator. */
  static final String ALL_MICROS = "microsPerOrder";

  /** Cores used during the load by the product, the database and the generator. */
  static final String SERVER_CORES = "serverCores";

  static final String DATABASE_CORES = "databaseCores";
  static final String GENERATOR_CORES = "generatorCores";

  private IngestFigure() {}
}
