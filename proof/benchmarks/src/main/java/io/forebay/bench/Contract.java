/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.math.BigDecimal;

/** A contract of an insurance company. */
record Contract(long id, long owner, String product, BigDecimal premium) {}
