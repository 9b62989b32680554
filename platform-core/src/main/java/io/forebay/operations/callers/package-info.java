/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Limits of single callers that operators set while the service runs. */
@NullMarked
package io.forebay.operations.callers;

import org.jspecify.annotations.NullMarked;
