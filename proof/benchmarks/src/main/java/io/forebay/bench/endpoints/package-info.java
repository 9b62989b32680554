/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the ingest benchmark adds to the product's own process, to be compared with the door. */
@NullMarked
package io.forebay.bench.endpoints;

import org.jspecify.annotations.NullMarked;
