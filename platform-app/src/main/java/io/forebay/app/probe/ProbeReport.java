/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.admin.host.Settings.Setting;
import io.forebay.capacity.sweep.Point;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a probe found.
 *
 * @param brief whether its figures are rough
 * @param bytes what each message carried
 * @param machine its properties that matter for the figures, in the order to show them
 * @param configuration without secrets and addresses
 * @param jitter how late one thread is that does nothing
 */
record ProbeReport(
    Instant at,
    boolean brief,
    int bytes,
    Map<String, String> machine,
    List<Setting> configuration,
    Point jitter,
    List<PathResult> paths) {

  /** For a file. */
  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("at", at.toString());
    figures.put("short", brief);
    figures.put("bytes", bytes);
    figures.put("paths", paths.stream().map(PathResult::figures).toList());
    figures.put("machine", machine);
    figures.put("jitter", PathResult.figures(jitter));
    figures.put(
        "configuration",
        configuration.stream()
            .collect(
                Collectors.toMap(
                    Setting::key, Setting::value, (one, _) -> one, LinkedHashMap::new)));
    return figures;
  }
}
