/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What happens to a message that its service fails to perform. */
@NullMarked
package io.forebay.service.errors;

import org.jspecify.annotations.NullMarked;
