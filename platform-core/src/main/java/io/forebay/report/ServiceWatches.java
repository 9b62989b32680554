/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import java.util.List;

/** The watches of all services of the process, in the order of their names. */
public record ServiceWatches(List<ServiceWatch> all) {}
