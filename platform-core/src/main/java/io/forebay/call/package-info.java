/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Converts interface calls to messages and back. Any interface of {@code void} methods is a
 * protocol; begin with {@link io.forebay.call.Protocol}. What the bytes of a message mean is in
 * {@code docs/message-format.md}.
 */
@NullMarked
package io.forebay.call;

import org.jspecify.annotations.NullMarked;
