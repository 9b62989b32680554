/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Shows operators what is in queues. */
@NullMarked
package io.forebay.operations.messages;

import org.jspecify.annotations.NullMarked;
