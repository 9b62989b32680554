/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Failed messages: list them, show them, and perform them again. */
@NullMarked
package io.forebay.operations.failures;

import org.jspecify.annotations.NullMarked;
