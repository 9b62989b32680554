/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Arguments of calls as CBOR: which Java types a message carries, and how they are written and
 * read.
 */
@NullMarked
package io.forebay.call.value;

import org.jspecify.annotations.NullMarked;
