/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Services with their queues, which are started, watched, operated and closed together ({@link
 * io.forebay.hosting.HostedService}), and an application's own interfaces as services ({@link
 * io.forebay.hosting.ServiceDefinition}).
 */
@NullMarked
package io.forebay.hosting;

import org.jspecify.annotations.NullMarked;
