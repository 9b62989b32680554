/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.capacity.DatabaseRate;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.report.ServiceReport;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link ServiceReport} is written as JSON: what the page gets, without the figures that only
 * the server uses.
 */
@JsonIgnoreProperties({
  "view",
  "desired",
  "burst",
  "typicalBurst",
  "outage",
  "failures",
  "lossShare",
  "refusedByDisk",
  "databaseSlow",
  "resuming"
})
interface ReportJson {

  @JsonUnwrapped
  @JsonIgnoreProperties({"state", "growth"})
  Lag lag();

  /** A volume, with the figures that are computed from its sizes. */
  @JsonIgnoreProperties("sizes")
  interface OfVolume {
    @JsonProperty
    Figure<Long> sizeBytes();

    @JsonProperty
    Figure<Long> usedBytes();

    @JsonProperty
    Figure<Long> stopBytes();

    @JsonProperty
    Figure<Long> toFreeBytes();
  }

  /** The figures of a lag. */
  interface OfLag {
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Nullable Duration peak();
  }

  @JsonInclude(JsonInclude.Include.NON_NULL)
  @Nullable Double canAtLeast();

  @JsonInclude(JsonInclude.Include.NON_NULL)
  DatabaseRate.@Nullable Slower slowerNow();

  @JsonProperty
  String name();

  @JsonProperty
  @JsonInclude(JsonInclude.Include.NON_DEFAULT)
  boolean standsStill();

  @JsonProperty
  ServiceReport.State state();

  @JsonProperty
  Lag.State trend();

  @JsonProperty
  String reason();
}
