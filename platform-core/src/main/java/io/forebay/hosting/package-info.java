/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * An application's own interfaces as services: begin with {@link
 * io.forebay.hosting.ServiceDefinition}.
 */
@NullMarked
package io.forebay.hosting;

import org.jspecify.annotations.NullMarked;
